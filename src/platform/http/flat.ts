/**
 * A template whose text is one piece in memory. The engine keeps what it joins or cuts in another way as a chain of pieces,
 * and a body with one such text takes twice as long to be written, because `JSON.stringify` then leaves its fast way.
 * So presenters make the texts of each row with it.
 */
export function flat(literals: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  const pieces: (string | number | undefined)[] = [literals[0]]
  for (const [index, value] of values.entries()) pieces.push(value, literals[index + 1])
  return pieces.join('')
}
