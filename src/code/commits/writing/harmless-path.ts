import { leadsOut } from '#code/git/names.ts'
import { isMisleading, MISLEADING } from '#platform/misleading.ts'
import { refusal } from '#platform/refusals.ts'

/** @throws 400 for the path of a new file that would do harm on some systems, or mislead people. Git itself refuses `.git` in all its forms. */
export function assertHarmless(path: string): void {
  if (leadsOut(path)) throw refusal(`${path} is not the path of a file`)
  if (isMisleading(path)) throw refusal(`The path of a file ${MISLEADING}`)
}
