import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { anyCharacter } from '#test/any-character.ts'
import { changesBetween } from './changes.ts'

describe('changes', () => {
  test.each([
    [{ name: 'a' }, { name: 'b' }, { name: { from: 'a', to: 'b' } }],
    [{ name: 'a' }, { name: 'a' }, {}],
    [{ name: 'a', on: true }, { on: false }, { on: { from: 'true', to: 'false' } }],
    [{ limit: null }, { limit: 0 }, { limit: { from: null, to: '0' } }],
    [{ limit: 5 }, { limit: null }, { limit: { from: '5', to: null } }],
    [{ list: ['a'] }, { list: ['a', 'b'] }, { list: { from: '["a"]', to: '["a","b"]' } }],
    [{ list: ['a'] }, { list: ['a'] }, {}],
    [{ name: 'a' }, { name: undefined }, {}],
    [{}, { secret: 'b' }, {}],
  ])('from %j to %j are %j', (before, after, changes) => {
    expect(changesBetween(before, after)).toEqual(changes)
  })

  it('are cut where they are long, into text that PostgreSQL takes', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 250, maxLength: 300 }), (text) => {
        const to = changesBetween({ text: '' }, { text })['text']?.to ?? ''
        expect(to.length).toBeLessThanOrEqual(255)
        expect(to.isWellFormed()).toBe(true)
      }),
    )
    expect(changesBetween({ text: '' }, { text: '😀'.repeat(200) })['text']?.to).toMatch(/\ufffd…$|😀…$/u)
  })
})
