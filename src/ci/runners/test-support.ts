import { expect } from 'vitest'
import type { Actor } from '#test/world.ts'

export interface MadeRunner {
  readonly id: number
  readonly token: string
  readonly path: string
}

/** Makes a runner. */
export async function madeRunner(by: Actor, given: object): Promise<MadeRunner> {
  const { status, body } = await by.post('/user/runners', given)
  expect([status, body.message]).toEqual([201, undefined])
  return { id: body.id, token: body.token, path: `/runners/${body.id}` }
}

export const forProject = (project_id: number, given: object = {}) => ({
  runner_type: 'project_type',
  project_id,
  ...given,
})
export const forGroup = (group_id: number, given: object = {}) => ({
  runner_type: 'group_type',
  group_id,
  ...given,
})
export const forInstance = (given: object = {}) => ({ runner_type: 'instance_type', ...given })
