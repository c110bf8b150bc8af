import { existsSync, readFileSync } from 'node:fs'

/** Where the refusals stand that routes declare, beside the file of what was answered; see answered.ts. */
export const declaredIn = (answers: string) => `${answers}.declared`

/**
 * After a run of all tests of `npm test`: a refusal that a route declares is one that a test was answered with.
 * @param answers where the answers of all workers were gathered.
 */
export function reportUnseen(answers: string): void {
  if (!existsSync(declaredIn(answers))) return
  const seen = new Set(linesOf(answers))
  const unseen = linesOf(declaredIn(answers)).filter((refusal) => !seen.has(refusal))
  if (unseen.length === 0) return
  console.error(`Declared in src, but no test was answered so:\n${unseen.join('\n')}`)
  process.exitCode = 1
}

const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
