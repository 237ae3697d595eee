/* The commands: each takes what follows its name and gives the exit code. */
#ifndef PATCHSET_CMD_H
#define PATCHSET_CMD_H

extern const char status_usage[], check_usage[], rebase_usage[], overlay_usage[], export_usage[];

/* repo: the checkout; see repo_find(). */
int cmd_status(const char *repo, int argc, char **argv);
int cmd_check(const char *repo, int argc, char **argv);
int cmd_rebase(const char *repo, int argc, char **argv);
int cmd_overlay(const char *repo, int argc, char **argv);
int cmd_export(const char *repo, int argc, char **argv);

#endif
