// Whoever spreads a list into the arguments of a call puts it on the stack, where some 100,000 of them are too many. How long
// most lists are, others decide. A contract test keeps the form out of the program.

/** Adds some values to the end of a list, however many they are. */
export function append<Value>(list: Value[], more: Iterable<Value>): void {
  for (const value of more) list.push(value)
}

/** The greatest of some numbers and a first one, which it is where there are no others. */
export const greatest = (first: number, others: readonly number[]): number =>
  others.reduce((most, one) => Math.max(most, one), first)

/** The element of a list of one. @throws Error for another list, which would be a mistake of the program. */
export function onlyOne<T>(all: readonly T[]): T {
  const [one] = all
  if (one === undefined || all.length > 1) throw new Error(`A list of one has ${all.length}`)
  return one
}

/** How many entries something of JSON has. Where a schema bounds them, it looks at each first, and nobody else has their turn meanwhile. */
export const entriesOf = (value: unknown): number =>
  Array.isArray(value)
    ? value.length
    : typeof value === 'object' && value !== null
      ? Object.keys(value).length
      : 0
