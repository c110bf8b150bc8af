import { describe, expect, test } from 'vitest'
import { allAbilities } from '#platform/access/abilities.ts'
import type { AccessContext } from '#platform/access/access-context.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { groupExpectations, projectExpectations, type Expectation } from './expectations.ts'
// Installs the features.
import '#app.ts'

/** Every combination of what decides. */
const standings: AccessContext[] = [0, 5, 10, 15, 20, 25, 30, 40, 50].flatMap((level) =>
  (['private', 'internal', 'public'] as const satisfies Visibility[]).flatMap((visibility) =>
    [true, false].flatMap((signedIn) =>
      [true, false].flatMap((external) =>
        [true, false].flatMap((admin) =>
          [true, false].flatMap((archived) =>
            [true, false].flatMap((readsBelow) =>
              [true, false].map((closed) => ({
                level,
                visibility,
                signedIn,
                external,
                admin,
                archived,
                readsBelow,
                closed,
              })),
            ),
          ),
        ),
      ),
    ),
  ),
)
/** Combinations that nobody can be in: members, administrators and externals are signed in. */
const possible = standings.filter(
  (s) => s.signedIn || (s.level === 0 && !s.admin && !s.external && !s.readsBelow),
)

/** The expectation in plain conditions, written without the rules of src/platform/access. */
function expected({ who, whileArchived = true }: Expectation, s: AccessContext): boolean {
  if (s.archived && !whileArchived) return false
  if (s.admin) return true
  if (who === 'administrators') return false
  if (Array.isArray(who)) return who.includes(s.level)
  if (typeof who === 'number') return s.level >= who
  if (who === 'members') return !s.closed && (s.level >= 10 || s.readsBelow)
  const byVisibility = s.visibility === 'public' || (s.visibility === 'internal' && s.signedIn && !s.external)
  const reads = !s.closed && (byVisibility || s.level >= 10 || s.readsBelow)
  const readsCode = reads && (byVisibility || s.level >= 20)
  if (who === 'code readers') return readsCode
  if (who === 'signed-in code readers') return readsCode && s.signedIn
  return who === 'readers' ? reads : reads && s.signedIn
}

const all = allAbilities()

describe.each([
  ['project', all.project, projectExpectations],
  ['group', all.group, groupExpectations],
] as const)('abilities of a %s', (_, abilities, expectations) => {
  test('each has its expectation, and none is left over', () => {
    expect(Object.keys(expectations).toSorted()).toEqual(Object.keys(abilities).toSorted())
  })

  test.each(Object.entries(abilities))('%s, in every standing', (name, rule) => {
    const expectation = new Map<string, Expectation>(Object.entries(expectations)).get(name)
    if (expectation === undefined) throw new Error(`${name} has no expectation`)
    const wrong = possible.filter((standing) => rule(standing) !== expected(expectation, standing))
    expect(wrong).toEqual([])
  })
})

test('how many cells the matrix has', () => {
  const abilities = Object.keys(all.project).length + Object.keys(all.group).length
  console.log(
    `permission matrix in memory: ${abilities} abilities × ${possible.length} standings = ${abilities * possible.length} cells`,
  )
  expect(possible.length).toBeGreaterThan(400)
})
