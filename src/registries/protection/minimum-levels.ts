import { levels } from '#platform/access/roles.ts'
import type { AccessContext } from '#platform/access/access-context.ts'

/** The role that a protection rule asks for. */
export const minimumLevels = ['maintainer', 'owner', 'admin'] as const
export type MinimumLevel = (typeof minimumLevels)[number]

/** The role of somebody in a project. */
export type RoleThere = Pick<AccessContext, 'level' | 'admin'>

/** The lowest level with a role; only administrators are above all. */
const lowest = new Map<string, number>([
  ['maintainer', levels.maintainer],
  ['owner', levels.owner],
])

/** Whether somebody lacks the role that a rule asks for; null asks for none. */
export const isBelow = ({ level, admin }: RoleThere, minimum: string | null): boolean =>
  minimum !== null && !admin && level < (lowest.get(minimum) ?? Infinity)

/** Whether a text has the form of a pattern in which `*` stands for anything. */
export function matchesWildcards(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return pattern === text
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false
  const end = text.length - last.length
  let at = first.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
