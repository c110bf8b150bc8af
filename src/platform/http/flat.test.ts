import { describe, expect, it } from 'vitest'
import { flat } from './flat.ts'
import { iso } from './time.ts'

describe('texts in one piece', () => {
  it('say what the template says', () => {
    expect(flat`http://forge.test/${'group/é'}/-/issues/${7}`).toBe('http://forge.test/group/é/-/issues/7')
    expect(flat`${'a'}${'b'}`).toBe('ab')
    expect(flat`alone`).toBe('alone')
    expect(flat`${''}${0}`).toBe('0')
  })

  it('of times have milliseconds, whatever the database left out', () => {
    expect(iso('2026-11-21 10:45:48.123+00')).toBe('2026-11-21T10:45:48.123Z')
    expect(iso('2026-11-21 10:45:48.12+00')).toBe('2026-11-21T10:45:48.120Z')
    expect(iso('2026-11-21 10:45:48+00')).toBe('2026-11-21T10:45:48.000Z')
  })
})
