import { describe, expect, test } from 'vitest'
import type { Visibility } from '#platform/db/schema.ts'
import { standardVisibility } from './visibility.ts'

describe('the visibility of a project that asks for none', () => {
  const user = (...restricted: Visibility[]) => ({ admin: false, restricted })
  test.each<[Visibility, Visibility, ReturnType<typeof user>, Visibility]>([
    ['public', 'public', user(), 'public'],
    ['public', 'internal', user(), 'internal'],
    ['private', 'public', user(), 'private'],
    ['public', 'public', user('public'), 'internal'],
    ['internal', 'public', user('internal'), 'private'],
    ['public', 'private', user('private'), 'private'],
    ['public', 'public', { admin: true, restricted: ['public'] }, 'public'],
  ])('%s by default, in a %s group, with %j, is %s', (standard, within, rules, expected) => {
    expect(standardVisibility(standard, within, rules)).toBe(expected)
  })
})
