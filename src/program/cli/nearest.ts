/** The name that was probably meant; undefined when none is similar. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(word.length / 3))
  return names
    .map((name) => ({ name, distance: distance(word, name) }))
    .filter((candidate) => candidate.distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)[0]?.name
}

/** How many letters to insert, remove or change (Levenshtein), computed one row of the table at a time. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const change = (row[j] ?? 0) + (letter === b[j] ? 0 : 1)
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
