import { describe, expect, it } from 'vitest'
import { type Place, type ShareLimits, Shares } from './shares.ts'

/** Places whose takers are known by name, in the order in which they began. */
function sharesOf(limits: Partial<ShareLimits>) {
  const shares = new Shares({ each: 2, waiting: 10, patience: 60_000, ...limits })
  const began: string[] = []
  const places = new Map<string, Place>()
  const refused: string[] = []
  const ask = (caller: string | undefined, name: string) =>
    void places.set(
      name,
      shares.ask(
        caller,
        () => began.push(name),
        (shortage) => refused.push(`${name}: too many ${shortage}`),
      ),
    )
  const end = (name: string) => {
    const place = places.get(name)
    if (place !== undefined) shares.leave(place)
    return began.splice(0).join(' ')
  }
  return { shares, began, refused, ask, end }
}

describe('shares', () => {
  it('leave places for others when one caller wants them all', () => {
    const { shares, began, ask } = sharesOf({ atOnce: 4 })
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) ask('user 1', name)
    ask('user 2', 'b1')
    expect([began, shares.running, shares.waiting]).toEqual([['a1', 'a2', 'b1'], 3, 3])
  })

  it('give a free place to the callers in turn, whoever has asked more often', () => {
    const { began, ask, end } = sharesOf({ atOnce: 2 })
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask('user 1', name)
    for (const name of ['b1', 'b2']) ask('user 2', name)
    ask('user 3', 'c1')
    ask(undefined, 'server')
    expect(began.splice(0)).toEqual(['a1', 'a2'])
    expect(['a1', 'a2', 'a3', 'b1', 'c1', 'server', 'a4'].map(end)).toEqual([
      'a3',
      'b1',
      'c1',
      'server',
      'a4',
      'b2',
      '',
    ])
  })

  it('leave half of the places to people who signed in, however many addresses there are', () => {
    const { shares, began, refused, ask, end } = sharesOf({ atOnce: 8, anonymous: 4, waiting: 1 })
    for (let address = 1; address <= 9; address += 1) ask(`address 192.0.2.${address}`, `x${address}`)
    expect([shares.running, shares.waiting]).toEqual([4, 5])
    ask('user 1', 'a1')
    ask('credential of somebody', 'b1')
    expect(began.splice(0).slice(4)).toEqual(['a1', 'b1'])
    expect(end('a1')).toBe('')
    expect(end('x1')).toBe('x5')
    ask('address 192.0.2.9', 'another of x9')
    expect(refused).toEqual(['another of x9: too many of the caller'])
  })

  it('give one anonymous caller fewer places than others, where they have less', () => {
    const { began, ask, end } = sharesOf({ each: 3, eachAnonymous: 1 })
    for (const number of [1, 2, 3, 4]) {
      ask('address 192.0.2.1', `x${number}`)
      ask('user 1', `a${number}`)
    }
    ask('address 192.0.2.2', 'y1')
    expect(began.splice(0)).toEqual(['x1', 'a1', 'a2', 'a3', 'y1'])
    expect(end('x1')).toBe('x2')
  })

  it('keep nothing of callers who have left', () => {
    const { shares, began, ask, end } = sharesOf({ atOnce: 1 })
    for (const name of ['a1', 'a2', 'a3']) ask('user 1', name)
    expect(began.splice(0)).toEqual(['a1'])
    expect(['a2', 'a2', 'a1', 'a3', 'a3'].map(end)).toEqual(['', '', 'a3', '', ''])
    expect([shares.running, shares.waiting]).toEqual([0, 0])
    ask('user 1', 'again')
    expect(shares.running).toBe(1)
  })
})
