import { describe, expect, test } from 'vitest'
import { projectFeatureLevels } from './project-features.ts'
import { projectFeatureOpen, inProjectFeature } from './project-feature-rules.ts'
import { levels } from './roles.ts'
import { readers, type AccessContext } from './access-context.ts'

const accessContext = (of: Partial<AccessContext>): AccessContext => ({
  level: 0,
  visibility: 'public',
  signedIn: true,
  external: false,
  admin: false,
  archived: false,
  readsBelow: false,
  closed: false,
  ...of,
})

describe('a part of a project', () => {
  const issues = (level: string) => projectFeatureLevels({ issues_access_level: level, build_timeout: 600 })

  test('is open as by default when nothing else is stored', () => {
    expect(projectFeatureLevels({})).toEqual({})
    expect(projectFeatureOpen('issues', accessContext({}))).toBe(true)
    expect(projectFeatureOpen('pages', accessContext({}))).toBe(false)
    expect(projectFeatureOpen('pages', accessContext({ level: levels.guest }))).toBe(true)
  })

  test('is for members when it is private, and for nobody when it is disabled', () => {
    const closed = accessContext({ features: issues('private') })
    expect(projectFeatureOpen('issues', closed)).toBe(false)
    expect(projectFeatureOpen('issues', { ...closed, level: levels.guest })).toBe(true)
    expect(projectFeatureOpen('issues', { ...closed, admin: true })).toBe(true)
    expect(projectFeatureOpen('issues', accessContext({ admin: true, features: issues('disabled') }))).toBe(
      false,
    )
  })

  test('narrows a rule, and never widens one', () => {
    const rule = inProjectFeature('issues', readers)
    expect(rule(accessContext({}))).toBe(true)
    expect(rule(accessContext({ visibility: 'private' }))).toBe(false)
    expect(rule(accessContext({ features: issues('disabled') }))).toBe(false)
  })

  test('ignores what is no level', () => {
    expect(projectFeatureLevels({ issues_access_level: 'open' })).toEqual({})
    expect(projectFeatureLevels(null)).toEqual({})
  })
})
