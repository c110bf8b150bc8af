import { expect } from 'vitest'
import type { Client } from '#test/client.ts'
import { w } from '#test/world.ts'

export const kinds = ['project', 'group'] as const
export type Kind = (typeof kinds)[number]

export const makers = { project: () => w.project(), group: () => w.group() }
export const baseOf = (kind: Kind, { id }: { id: number }) => `/${kind}s/${id}/badges`

export const plain = { link_url: 'https://ci.example.com/', image_url: 'https://ci.example.com/badge.svg' }

export const queryOf = (values: Record<string, string>) => new URLSearchParams(values).toString()

/** A badge that an administrator makes. */
export async function made(kind: Kind, place: { id: number }, given: object = {}) {
  const { status, body } = await w.root.post(baseOf(kind, place), { ...plain, ...given })
  expect([status, body.message]).toEqual([201, undefined])
  return { ...body, path: `${baseOf(kind, place)}/${body.id}` }
}

export const idsOf = async (by: Client, path: string) => {
  const { status, body } = await by.get(path)
  expect(status).toBe(200)
  return body.map(({ id }: { id: number }) => id)
}
