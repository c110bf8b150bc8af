import { describe, expect, test } from 'vitest'
import { type Randomness, systemRandomness } from '#platform/context.ts'
import type { Actors } from './actors.ts'
import { definitions, switchNames } from './definitions.ts'
import { closed, type Gates, isFlagOn, stateOf } from './gates.ts'

const open = (gates: Partial<Gates>, actors: Actors = {}, random = systemRandomness, name = 'thing') =>
  isFlagOn(name, { ...closed, ...gates }, actors, random)
const user = (id: number, admin = false) => ({ user: { id, admin } })
const users = Array.from({ length: 2_000 }, (_, index) => user(index + 1))
const within = (percentage: number, name?: string) =>
  users.filter((actors) => open({ percentage_of_actors: percentage }, actors, undefined, name))

describe('a switch', () => {
  test('is on for whom any of its gates lets through', () => {
    const actors = ['User:1', 'Project:2', 'Group:3', 'Namespaces::UserNamespace:4', 'Repository:project-5']
    const asked: Actors[] = [
      user(1),
      { project: { id: 2 } },
      { group: { id: 3 } },
      { group: { id: 4 } },
      { project: { id: 5 } },
      { ...user(9), project: { id: 9 }, group: { id: 3 } },
    ]
    expect(asked.map((each) => open({ actors }, each))).toEqual(asked.map(() => true))
    const others: Actors[] = [{}, user(2), { project: { id: 3 } }, { group: { id: 1 } }]
    expect(others.map((each) => open({ actors }, each))).toEqual(others.map(() => false))
    expect([open({ enabled: true }), open({})]).toEqual([true, false])
  })

  test('is on for a group of people that the program knows', () => {
    const groups = ['administrators', 'somebody else']
    expect([open({ groups }, user(1, true)), open({ groups }, user(1)), open({ groups })]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('keeps letting through the same actors while a percentage grows', () => {
    const few = within(10)
    const more = within(40)
    expect(few.length / users.length).toBeCloseTo(0.1, 1)
    expect(more.length / users.length).toBeCloseTo(0.4, 1)
    expect(few.every((actors) => more.includes(actors))).toBe(true)
    expect(within(10)).toEqual(few)
    expect(within(10, 'other')).not.toEqual(few)
    expect(open({ percentage_of_actors: 99 })).toBe(false)
  })

  test('lets a percentage of questions through by chance', () => {
    const rolled = (first: number): Randomness => ({ bytes: (count) => Buffer.alloc(count, first) })
    const half = { percentage_of_time: 50 }
    expect([open(half, {}, rolled(0x7f)), open(half, {}, rolled(0x80))]).toEqual([true, false])
    const rolls = Array.from({ length: 2_000 }, () => open({ percentage_of_time: 30 }))
    expect(rolls.filter(Boolean).length / rolls.length).toBeCloseTo(0.3, 1)
  })

  test('is on, off, or on for some', () => {
    expect(stateOf({ ...closed, enabled: true, actors: ['User:1'] })).toBe('on')
    expect(stateOf(closed)).toBe('off')
    for (const gate of [
      { actors: ['User:1'] },
      { groups: ['administrators'] },
      { percentage_of_actors: 1 },
      { percentage_of_time: 1 },
    ]) {
      expect(stateOf({ ...closed, ...gate })).toBe('conditional')
    }
  })

  test('says in one sentence what it is for', () => {
    expect(switchNames).toEqual([
      'container_virtual_registries',
      'generic_alert_fingerprinting',
      'packages_protected_packages',
    ])
    expect(switchNames.filter((name) => !/^[A-Z][^.]+\.$/.test(definitions[name].about))).toEqual([])
  })
})
