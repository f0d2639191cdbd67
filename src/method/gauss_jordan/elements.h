/*
 * elements.h: what eliminate_real.h wants of a type, by words that are plain expressions for real numbers. Included once
 * for each type, before it, with PART, a real number, COMPLEX (0 or 1) and NAME(x); elements_end.h takes the words back.
 *
 *      REAL              an element: a PART, or two of them
 *      PARTS             of an element
 *      ABSOLUTE(a)       |a|, of a complex a |re| + |im|, by which LAPACK looks for a pivot
 *      MODULUS(a)        |a|
 *      LESS(a, l, u)     a - l u
 *      OVER(a, b)        a / b
 *      NEGATED(a)  ONE  IS_ZERO(a)
 */
#define PART_SIZE(x) ((x) < 0 ? -(x) : (x))
#if COMPLEX
typedef struct NAME(element) {
    PART re, im;
} NAME(element);

static inline NAME(element) NAME(less)(NAME(element) a, NAME(element) l, NAME(element) u) {
    return (NAME(element)){a.re - l.re * u.re + l.im * u.im, a.im - l.re * u.im - l.im * u.re};
}

/* R. L. Smith, Algorithm 116: Complex division, CACM 5 (1962): no square leaves the range of the type. */
static inline NAME(element) NAME(over)(NAME(element) a, NAME(element) b) {
    if (PART_SIZE(b.re) >= PART_SIZE(b.im)) {
        const PART r = b.im / b.re, d = b.re + b.im * r;
        return (NAME(element)){(a.re + a.im * r) / d, (a.im - a.re * r) / d};
    }
    const PART r = b.re / b.im, d = b.re * r + b.im;
    return (NAME(element)){(a.re * r + a.im) / d, (a.im * r - a.re) / d};
}
#define REAL          NAME(element)
#define PARTS         2
#define ABSOLUTE(a)   (PART_SIZE((a).re) + PART_SIZE((a).im))
#define MODULUS(a)    ((PART)hypot((a).re, (a).im))
#define LESS(a, l, u) NAME(less)(a, l, u)
#define OVER(a, b)    NAME(over)(a, b)
#define NEGATED(a)    ((REAL){-(a).re, -(a).im})
#define ONE           ((REAL){1, 0})
#define IS_ZERO(a)    ((a).re == 0 && (a).im == 0)
#else
#define REAL          PART
#define PARTS         1
#define ABSOLUTE(a)   ((PART)fabs(a))
#define MODULUS(a)    ABSOLUTE(a)
#define LESS(a, l, u) ((a) - (l) * (u))
#define OVER(a, b)    ((a) / (b))
#define NEGATED(a)    (-(a))
#define ONE           1
#define IS_ZERO(a)    ((a) == 0)
#endif
