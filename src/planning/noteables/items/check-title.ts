import { invalid } from '#platform/refusals.ts'

/** @throws 400 for a title without a word */
export function checkTitle(given: string): string {
  const title = given.trim()
  if (title === '') throw invalid({ title: ["can't be blank"] })
  return title
}
