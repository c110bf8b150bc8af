/** What differs from one event to the next, in the order in which it is taken out. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi, '<id>'],
  [/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, '<email>'],
  [/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  [/0x[\da-f]{1,64}/gi, '<hex>'],
  // With a digit, so that words stay words.
  [/(?<![a-z\d])(?=[a-f]{0,63}\d)[\da-f]{7,64}(?![a-z\d])/gi, '<hex>'],
  [/\d{1,64}(?:\.\d{1,64})?/g, '<n>'],
]

/** A text without numbers and ids, so that events that differ only in those are the same error. */
export function withoutVarying(text: string): string {
  let plain = text
  for (const [pattern, mark] of VARYING) plain = plain.replace(pattern, mark)
  return plain
}
