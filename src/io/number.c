#include "io/number.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_blank(char c) {
    return c == ' ' || c == '\t';
}

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void skip_blanks(mm_span *rest) {
    while (rest->begin < rest->end && is_blank(*rest->begin)) rest->begin++;
}

int mm_at_end(mm_span *rest) {
    skip_blanks(rest);
    return rest->begin == rest->end;
}

mm_span mm_take_word(mm_span *rest) {
    skip_blanks(rest);
    mm_span word = {rest->begin, rest->begin};
    while (word.end < rest->end && !is_blank(*word.end)) word.end++;
    rest->begin = word.end;
    return word;
}

mm_number mm_take_integer(mm_span *rest, int64_t *value) {
    if (mm_at_end(rest)) return MM_NUMBER_ABSENT;
    const char *p = rest->begin;
    const int negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    if (p == rest->end || !is_digit(*p)) return MM_NUMBER_BAD;
    int64_t magnitude = 0;
    int overflow = 0;
    for (; p < rest->end && is_digit(*p); p++) {
        const int64_t digit = *p - '0';
        if (magnitude > (INT64_MAX - digit) / 10)
            overflow = 1;
        else
            magnitude = magnitude * 10 + digit;
    }
    if (p < rest->end && !is_blank(*p)) return MM_NUMBER_BAD;
    if (overflow) return MM_NUMBER_OVERFLOW;
    *value = negative ? -magnitude : magnitude;
    rest->begin = p;
    return MM_NUMBER;
}

/* A decimal number in its parts: (-1)^negative * mantissa * 10^exponent, unless digits did not fit the mantissa. */
typedef struct decimal {
    int negative;
    uint64_t mantissa; /* the first 19 digits that count */
    int kept;          /* how many these are */
    int dropped;       /* 1: digits after those, so that only the text is exact */
    int point;         /* digits after the decimal point */
    int exponent;      /* of ten, as written */
    mm_span digits;    /* the text of the digits, the point among them */
} decimal;

enum {
    MANTISSA_DIGITS = 19,  /* all of them fit 64 bits */
    EXPONENT_LIMIT = 99999 /* beyond, MM_LINE_MAX digits cannot bring the number back into range */
};

static const char *take_digits(decimal *number, const char *p, const char *end) {
    for (; p < end && is_digit(*p); p++) {
        if (number->kept < MANTISSA_DIGITS) {
            number->mantissa = number->mantissa * 10 + (uint64_t)(*p - '0');
            number->kept += number->mantissa != 0; /* leading zeros do not count */
        } else {
            number->dropped = 1;
        }
    }
    return p;
}

static const char *take_exponent(decimal *number, const char *p, const char *end) {
    const int negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end || !is_digit(*p)) return NULL;
    int exponent = 0;
    for (; p < end && is_digit(*p); p++)
        if (exponent < EXPONENT_LIMIT) exponent = exponent * 10 + (*p - '0');
    if (exponent > EXPONENT_LIMIT) exponent = EXPONENT_LIMIT;
    number->exponent = negative ? -exponent : exponent;
    return p;
}

/* Returns the end of the number, or NULL when none stands at p. */
static const char *take_decimal(decimal *number, const char *p, const char *end) {
    memset(number, 0, sizeof *number);
    number->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    number->digits.begin = p;
    p = take_digits(number, p, end);
    ptrdiff_t count = p - number->digits.begin;
    const int has_point = p < end && *p == '.';
    if (has_point) {
        const char *fraction = p + 1;
        p = take_digits(number, fraction, end);
        number->point = (int)(p - fraction);
        count += p - fraction;
    }
    number->digits.end = p;
    if (count == 0) return NULL;
    if (p == end) return p;
    if (*p == 'e' || *p == 'E' || *p == 'd' || *p == 'D') return take_exponent(number, p + 1, end);
    /* Fortran leaves the letter out where the exponent has three digits; its numbers have a point. */
    return has_point && (*p == '+' || *p == '-') ? take_exponent(number, p, end) : p;
}

/*
 * One correctly rounded operation when the mantissa and the power of ten are both exact doubles (W. D. Clinger, How
 * to Read Floating Point Numbers Accurately, PLDI 1990). Only where double arithmetic is done in double.
 */
static int exact_value(const decimal *number, double *value) {
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int exponent = number->exponent - number->point;
    if (FLT_EVAL_METHOD != 0 || number->dropped || number->mantissa > (UINT64_C(1) << 53)) return 0;
    if (exponent < -22 || exponent > 22) return 0;
    *value = (double)number->mantissa;
    *value = exponent < 0 ? *value / power[-exponent] : *value * power[exponent];
    return 1;
}

/*
 * Where long double has the 64 bits that hold the mantissa: at most two rounded operations, each off by less than
 * 2^-64, and both ends of what the true value can be. When they round to one double, so does the true value; else, in
 * one number of some hundreds, the slow way decides. Much faster than strtod on 17 digits.
 */
static int wide_value(const decimal *number, double *value) {
#if LDBL_MANT_DIG == 64 || LDBL_MANT_DIG == 113
    static const long double power[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                        1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                        1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L}; /* all exact */
    enum { MOST = 27 };
    const int exponent = number->exponent - number->point, size = abs(exponent);
    if (number->dropped || size > 2 * MOST) return 0;
    const long double first = power[size < MOST ? size : MOST], second = power[size < MOST ? 0 : size - MOST];
    long double wide = (long double)number->mantissa;
    wide = exponent < 0 ? wide / first : wide * first;
    if (size > MOST) wide = exponent < 0 ? wide / second : wide * second;
    const long double slack = wide * 0x1p-62L;
    *value = (double)(wide - slack);
    return *value == (double)(wide + slack);
#else
    (void)number, (void)value;
    return 0;
#endif
}

/* All the digits and the exponent without a decimal point, for the point is what a locale changes in strtod. */
static double text_value(const decimal *number) {
    char text[MM_LINE_MAX + 16];
    char *out = text;
    for (const char *p = number->digits.begin; p < number->digits.end; p++)
        if (*p != '.') *out++ = *p;
    int exponent = number->exponent - number->point;
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    char reversed[16];
    int length = 0;
    for (exponent = abs(exponent); length == 0 || exponent > 0; exponent /= 10)
        reversed[length++] = (char)('0' + exponent % 10);
    while (length > 0) *out++ = reversed[--length];
    *out = '\0';
    return strtod(text, NULL);
}

static int names_nonfinite(mm_span rest) {
    mm_span word = mm_take_word(&rest);
    if (word.begin < word.end && (*word.begin == '-' || *word.begin == '+')) word.begin++;
    char lower[4] = "";
    for (int i = 0; i < 3 && word.begin + i < word.end; i++) lower[i] = (char)tolower((unsigned char)word.begin[i]);
    return strcmp(lower, "nan") == 0 || strcmp(lower, "inf") == 0;
}

mm_number mm_take_real(mm_span *rest, double *value) {
    if (mm_at_end(rest)) return MM_NUMBER_ABSENT;
    decimal number;
    const char *p = take_decimal(&number, rest->begin, rest->end);
    if (!p || (p < rest->end && !is_blank(*p))) return names_nonfinite(*rest) ? MM_NUMBER_NONFINITE : MM_NUMBER_BAD;
    double magnitude;
    if (!exact_value(&number, &magnitude) && !wide_value(&number, &magnitude)) magnitude = text_value(&number);
    if (!isfinite(magnitude)) return MM_NUMBER_OVERFLOW;
    *value = number.negative ? -magnitude : magnitude;
    rest->begin = p;
    return magnitude == 0.0 && number.kept > 0 ? MM_NUMBER_UNDERFLOW : MM_NUMBER;
}
