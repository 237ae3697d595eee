/*
 * Lets test_subseq.rb see how a String holds its bytes, and call the two C
 * functions that make slices.  Public headers only, so that the same file
 * builds against an installed package and inside a build tree.
 */
#include <ruby.h>
#include <ruby/encoding.h>

/*
 * EmbedProbe.embedded?(string) -> true or false
 *
 * Whether the bytes lie in the object's own slot.  Raises TypeError for
 * anything but a String, as every function here does.
 */
static VALUE
probe_embedded_p(VALUE self, VALUE str)
{
    (void)self;
    Check_Type(str, T_STRING);
    return RB_FL_TEST_RAW(str, RSTRING_NOEMBED) ? Qfalse : Qtrue;
}

/*
 * EmbedProbe.shared?(string) -> true or false
 *
 * Whether the bytes belong to another string: string.c's STR_SHARED, which is
 * ELTS_SHARED by ruby/internal/fl_type.h.
 */
static VALUE
probe_shared_p(VALUE self, VALUE str)
{
    (void)self;
    Check_Type(str, T_STRING);
    return RB_FL_TEST_RAW(str, RUBY_ELTS_SHARED) ? Qtrue : Qfalse;
}

/*
 * EmbedProbe.terminated?(string, width) -> true or false
 *
 * Whether the `width` bytes after the last one are NUL.  The caller gives the
 * width, because a middle slice of a wide encoding ends in one NUL only until
 * someone asks for a C string: reading more could leave its buffer.
 */
static VALUE
probe_terminated_p(VALUE self, VALUE str, VALUE width)
{
    const char *end;
    int n = NUM2INT(width);

    (void)self;
    Check_Type(str, T_STRING);
    end = RSTRING_END(str);
    while (n > 0 && end[n - 1] == '\0') n--;
    RB_GC_GUARD(str);
    return n > 0 ? Qfalse : Qtrue;
}

/*
 * EmbedProbe.subseq(string, begin, length) -> string
 *
 * rb_str_subseq() as it is: both in bytes, the caller keeps them inside the
 * string (checked here, since the function only asserts it in debug builds).
 * Raises RangeError for a part outside.
 */
static VALUE
probe_subseq(VALUE self, VALUE str, VALUE begin, VALUE length)
{
    long beg = NUM2LONG(begin), len = NUM2LONG(length);

    (void)self;
    Check_Type(str, T_STRING);
    if (beg < 0 || len < 0 || beg > RSTRING_LEN(str) - len) {
        rb_raise(rb_eRangeError, "no %ld bytes at %ld in a string of %ld",
                 len, beg, RSTRING_LEN(str));
    }
    return rb_str_subseq(str, beg, len);
}

/*
 * EmbedProbe.substr(string, begin, length) -> string or nil
 *
 * rb_str_substr(): both in characters, clipped to the string, nil outside.
 */
static VALUE
probe_substr(VALUE self, VALUE str, VALUE begin, VALUE length)
{
    (void)self;
    Check_Type(str, T_STRING);
    return rb_str_substr(str, NUM2LONG(begin), NUM2LONG(length));
}

/* Called by `require "embed_probe"`: defines the module EmbedProbe. */
void
Init_embed_probe(void)
{
    VALUE probe = rb_define_module("EmbedProbe");

    rb_define_module_function(probe, "embedded?", probe_embedded_p, 1);
    rb_define_module_function(probe, "shared?", probe_shared_p, 1);
    rb_define_module_function(probe, "terminated?", probe_terminated_p, 2);
    rb_define_module_function(probe, "subseq", probe_subseq, 3);
    rb_define_module_function(probe, "substr", probe_substr, 3);
}
