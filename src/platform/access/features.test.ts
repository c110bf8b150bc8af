import { describe, expect, test } from 'vitest'
import { featureLevels } from './feature-levels.ts'
import { featureOpen, inFeature } from './features.ts'
import { levels } from './roles.ts'
import { readers, type Standing } from './standing.ts'

const standing = (of: Partial<Standing>): Standing => ({
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
  const issues = (level: string) => featureLevels({ issues_access_level: level, build_timeout: 600 })

  test('is open as by default when nothing else is stored', () => {
    expect(featureLevels({})).toEqual({})
    expect(featureOpen('issues', standing({}))).toBe(true)
    expect(featureOpen('pages', standing({}))).toBe(false)
    expect(featureOpen('pages', standing({ level: levels.guest }))).toBe(true)
  })

  test('is for members when it is private, and for nobody when it is disabled', () => {
    const closed = standing({ features: issues('private') })
    expect(featureOpen('issues', closed)).toBe(false)
    expect(featureOpen('issues', { ...closed, level: levels.guest })).toBe(true)
    expect(featureOpen('issues', { ...closed, admin: true })).toBe(true)
    expect(featureOpen('issues', standing({ admin: true, features: issues('disabled') }))).toBe(false)
  })

  test('narrows a rule, and never widens one', () => {
    const rule = inFeature('issues', readers)
    expect(rule(standing({}))).toBe(true)
    expect(rule(standing({ visibility: 'private' }))).toBe(false)
    expect(rule(standing({ features: issues('disabled') }))).toBe(false)
  })

  test('ignores what is no level', () => {
    expect(featureLevels({ issues_access_level: 'open' })).toEqual({})
    expect(featureLevels(null)).toEqual({})
  })
})
