/*
 * Lets test_subseq.rb and slices.rb see how a String holds its bytes, and call
 * the C functions that make slices or change a string below its methods.
 * Public headers only, so that the same file builds against an installed
 * package and inside a build tree.
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
 * width, because a stock Ruby's middle slice of a wide encoding ends in one NUL
 * only until someone asks for a C string: reading more could leave its buffer.
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
 * Raises RangeError for a part outside, but a negative length goes through.
 */
static VALUE
probe_subseq(VALUE self, VALUE str, VALUE begin, VALUE length)
{
    long beg = NUM2LONG(begin), len = NUM2LONG(length);

    (void)self;
    Check_Type(str, T_STRING);
    if (beg < 0 || beg > RSTRING_LEN(str) || len > RSTRING_LEN(str) - beg) {
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

/*
 * EmbedProbe.code_range(string) -> Integer
 *
 * What the string knows of its bytes: 0 nothing yet, 1 ASCII only, 2 valid, 3
 * broken.
 */
static VALUE
probe_code_range(VALUE self, VALUE str)
{
    (void)self;
    Check_Type(str, T_STRING);
    return INT2FIX((int)(RB_ENC_CODERANGE(str) / RUBY_ENC_CODERANGE_7BIT));
}

/*
 * EmbedProbe.resize(string, length) -> string
 *
 * rb_str_resize() to `length` bytes; new ones are set to 'x', since theirs is
 * no value that the function promises.
 */
static VALUE
probe_resize(VALUE self, VALUE str, VALUE length)
{
    long len = NUM2LONG(length), old;

    (void)self;
    Check_Type(str, T_STRING);
    old = RSTRING_LEN(str);
    rb_str_resize(str, len);
    if (len > old) {
        rb_str_modify(str);
        memset(RSTRING_PTR(str) + old, 'x', (size_t)(len - old));
        RB_ENC_CODERANGE_CLEAR(str);
    }
    return str;
}

/*
 * EmbedProbe.set_len(string, length) -> string
 *
 * What C code does that writes into a buffer of its own string: room by
 * rb_str_modify_expand(), bytes, rb_str_set_len().  Adds `length` bytes, or
 * cuts to it where that is less than there are.
 */
static VALUE
probe_set_len(VALUE self, VALUE str, VALUE length)
{
    long len = NUM2LONG(length), old;

    (void)self;
    Check_Type(str, T_STRING);
    old = RSTRING_LEN(str);
    if (len < old) {
        rb_str_modify(str);
        rb_str_set_len(str, len);
        return str;
    }
    rb_str_modify_expand(str, len);
    memset(RSTRING_PTR(str) + old, 'y', (size_t)len);
    rb_str_set_len(str, old + len);
    return str;
}

/*
 * EmbedProbe.locked(string) { ... } -> the block's value
 *
 * Runs the block between rb_str_locktmp() and rb_str_unlocktmp().
 */
static VALUE
probe_locked(VALUE self, VALUE str)
{
    (void)self;
    Check_Type(str, T_STRING);
    rb_str_locktmp(str);
    return rb_ensure(rb_yield, str, rb_str_unlocktmp, str);
}

/*
 * EmbedProbe.held(string) { ... } -> true or false
 *
 * Whether the string's pointer, taken before the block, leads to the same bytes
 * after it: documented as long as the string is on the C stack and is not
 * changed, whatever is collected or moved.
 */
static VALUE
probe_held(VALUE self, VALUE str)
{
    const char *before;
    VALUE copy;
    int same;

    (void)self;
    Check_Type(str, T_STRING);
    before = RSTRING_PTR(str);
    copy = rb_str_new(before, RSTRING_LEN(str));
    rb_yield(str);
    same = memcmp(before, RSTRING_PTR(copy), (size_t)RSTRING_LEN(copy)) == 0;
    RB_GC_GUARD(str);
    RB_GC_GUARD(copy);
    if (!same) rb_raise(rb_eRuntimeError, "the held pointer leads elsewhere");
    return Qtrue;
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
    rb_define_module_function(probe, "code_range", probe_code_range, 1);
    rb_define_module_function(probe, "resize", probe_resize, 2);
    rb_define_module_function(probe, "set_len", probe_set_len, 2);
    rb_define_module_function(probe, "locked", probe_locked, 1);
    rb_define_module_function(probe, "held", probe_held, 1);
}
