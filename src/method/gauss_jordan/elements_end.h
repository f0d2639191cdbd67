/* elements_end.h: takes back the words of elements.h and of who includes it, for the next type. */
#undef PART
#undef COMPLEX
#undef NAME
#undef LEAST
#undef PART_SIZE
#undef REAL
#undef PARTS
#undef ABSOLUTE
#undef MODULUS
#undef LESS
#undef OVER
#undef NEGATED
#undef ONE
#undef IS_ZERO
