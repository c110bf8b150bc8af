import { expect } from 'vitest'
import { type Actor, type Place, unique, w } from '#test/world.ts'

export const kinds = ['project', 'group'] as const
export type Kind = (typeof kinds)[number]

export const makers: Readonly<Record<Kind, () => Promise<Place>>> = {
  project: () => w.project(),
  group: () => w.group(),
}

export const baseOf = (kind: Kind, { id }: Pick<Place, 'id'>): string => `/${kind}s/${id}`

/** What a request made. */
export async function made(by: Actor, path: string, json: object): Promise<{ id: number }> {
  const { status, body } = await by.post(path, json)
  expect([path, status, body]).toEqual([path, 201, body])
  return body
}

export const newLabel = (by: Actor, base: string, name = unique('label')) =>
  made(by, `${base}/labels`, { name, color: 'red' })

export const newMilestone = (by: Actor, base: string, title = unique('milestone')) =>
  made(by, `${base}/milestones`, { title })

/** A board, and the path of it. */
export async function newBoard(by: Actor, base: string, given: object = {}) {
  const board = await made(by, `${base}/boards`, { name: unique('board'), ...given })
  return { ...board, path: `${base}/boards/${board.id}` }
}

/** A board with lists of this many labels, and the ids of the lists in their order. */
export async function withLists(by: Actor, base: string, count: number) {
  const board = await newBoard(by, base)
  const lists: number[] = []
  for (let n = 0; n < count; n += 1) {
    const { id } = await newLabel(by, base)
    lists.push((await made(by, `${board.path}/lists`, { label_id: id })).id)
  }
  return { ...board, lists }
}

/** The ids of the lists of a board, which have the positions from 0 on. */
export async function orderOf(by: Actor, path: string): Promise<number[]> {
  const { status, body } = await by.get(`${path}/lists?per_page=100`)
  expect(status).toBe(200)
  const positions = body.map(({ position }: { position: number }) => position)
  expect(positions).toEqual(positions.map((_: number, index: number) => index))
  return body.map(({ id }: { id: number }) => id)
}
