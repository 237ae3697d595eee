/* All that Puma's parser takes from Ruby's header of this name, so that it can be
 * compiled where no Ruby is. */
typedef unsigned long VALUE;
#define Qnil ((VALUE)4)
