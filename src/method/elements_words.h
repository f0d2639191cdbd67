/*
 * elements_words.h: what matrices on the host are made of, for code that is included once for each type; included
 * before it each time, with REAL, ABSOLUTE(x), NAME(x) and COMPLEX, 0 or 1. For a REAL each word is the plain
 * expression, so that code in these words compiles to what it would be without them. The kernels have the like in
 * cl/elements.clh.
 *
 *      ELEMENT  PARTS                    a REAL, or two of them; how many
 *      ZERO  ONE  IS_ZERO(a)             0 and 1 as elements; whether it is 0
 *      SIZE(a)  LARGER_PART(a)           |re| + |im|, by which LAPACK looks for a pivot; max(|re|, |im|)
 *      MODULUS(a)                        |a|
 *      NAUGHT(a)                         a REAL that is 0 where a is finite, else NaN
 *      TIMES(a, b)  OVER(a, b)           a b; a / b
 *      NEGATED(a)  NEGATIVE_PRODUCT(a, b)   -a; -a b
 *      CONJUGATE(a)  REAL_PART(a)        the conjugate of a; its real part, a REAL
 *      FROM_REAL(r)  BY_REAL(a, r)       r as an element; a r
 *      PLUS(a, b)  MINUS(a, b)           a + b; a - b
 *      PLUS_PRODUCT(a, l, u)             a + l u
 *      LESS_PRODUCT(a, l, u)             a - l u
 *      LESS_PRODUCT_IF(c, a, l, u)       the same where c, else a: l and u are looked at only then
 *      LESS_PRODUCTS(a, l, u, i)         a minus the sum of l0[i] u0 ... l3[i] u3
 */
#undef ELEMENT
#undef PARTS
#undef ZERO
#undef ONE
#undef IS_ZERO
#undef SIZE
#undef LARGER_PART
#undef MODULUS
#undef NAUGHT
#undef TIMES
#undef OVER
#undef NEGATED
#undef NEGATIVE_PRODUCT
#undef CONJUGATE
#undef REAL_PART
#undef FROM_REAL
#undef BY_REAL
#undef PLUS
#undef MINUS
#undef PLUS_PRODUCT
#undef LESS_PRODUCT
#undef LESS_PRODUCT_IF
#undef LESS_PRODUCTS

#if COMPLEX
#define ELEMENT                NAME(element)
#define PARTS                  2
#define MODULUS(a)             ((REAL)hypot((a).x, (a).y))
#define NEGATED(a)             ((ELEMENT){-(a).x, -(a).y})
#define ZERO                   ((ELEMENT){0, 0})
#define ONE                    ((ELEMENT){1, 0})
#define IS_ZERO(a)             ((a).x == 0 && (a).y == 0)
#define SIZE(a)                (ABSOLUTE((a).x) + ABSOLUTE((a).y))
#define LARGER_PART(a)         NAME(larger_part)(a)
#define NAUGHT(a)              (0 * (a).x + 0 * (a).y)
#define TIMES(a, b)            ((ELEMENT){(a).x * (b).x - (a).y * (b).y, (a).x * (b).y + (a).y * (b).x})
#define OVER(a, b)             NAME(over)(a, b)
#define NEGATIVE_PRODUCT(a, b) LESS_PRODUCT(ZERO, a, b)
#define CONJUGATE(a)           ((ELEMENT){(a).x, -(a).y})
#define REAL_PART(a)           ((a).x)
#define FROM_REAL(r)           ((ELEMENT){r, 0})
#define BY_REAL(a, r)          ((ELEMENT){(a).x * (r), (a).y * (r)})
#define PLUS(a, b)             ((ELEMENT){(a).x + (b).x, (a).y + (b).y})
#define MINUS(a, b)            ((ELEMENT){(a).x - (b).x, (a).y - (b).y})

#define PLUS_PRODUCT(a, l, u) ((ELEMENT){(a).x + (l).x * (u).x - (l).y * (u).y, (a).y + (l).x * (u).y + (l).y * (u).x})
#define LESS_PRODUCT(a, l, u) ((ELEMENT){(a).x - (l).x * (u).x + (l).y * (u).y, (a).y - (l).x * (u).y - (l).y * (u).x})

#define LESS_PRODUCT_IF(c, a, l, u) ((c) ? LESS_PRODUCT(a, l, u) : (a))
#define LESS_PRODUCTS(a, l, u, i)                                                                                      \
    LESS_PRODUCT(LESS_PRODUCT(LESS_PRODUCT(LESS_PRODUCT(a, l##0 [i], u##0), l##1 [i], u##1), l##2 [i], u##2),          \
                 l##3 [i], u##3)
#else
#define ELEMENT                     REAL
#define PARTS                       1
#define MODULUS(a)                  ABSOLUTE(a)
#define NEGATED(a)                  (-(a))
#define ZERO                        0
#define ONE                         1
#define IS_ZERO(a)                  ((a) == 0)
#define SIZE(a)                     ABSOLUTE(a)
#define LARGER_PART(a)              ABSOLUTE(a)
#define NAUGHT(a)                   (0 * (a))
#define TIMES(a, b)                 ((a) * (b))
#define OVER(a, b)                  ((a) / (b))
#define NEGATIVE_PRODUCT(a, b)      (-(a) * (b))
#define CONJUGATE(a)                (a)
#define REAL_PART(a)                (a)
#define FROM_REAL(r)                (r)
#define BY_REAL(a, r)               ((a) * (r))
#define PLUS(a, b)                  ((a) + (b))
#define MINUS(a, b)                 ((a) - (b))
#define PLUS_PRODUCT(a, l, u)       ((a) + (l) * (u))
#define LESS_PRODUCT(a, l, u)       ((a) - (l) * (u))
#define LESS_PRODUCT_IF(c, a, l, u) ((a) - ((c) ? (l) * (u) : 0))
#define LESS_PRODUCTS(a, l, u, i)   ((a) - (l##0 [i] * u##0 + l##1 [i] * u##1 + (l##2 [i] * u##2 + l##3 [i] * u##3)))
#endif
