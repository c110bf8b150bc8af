import type { FastifyInstance } from 'fastify'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { PushedOptions } from '#code/repositories/push-options.ts'
import type { ReferenceChange } from '#code/repositories/rules.ts'
import type { GitAccess } from './access.ts'

/** A push that has changed references. */
export interface FinishedPush {
  readonly services: FastifyInstance['services']
  readonly access: GitAccess
  /** What happened; what was refused is not in it. */
  readonly changes: readonly ReferenceChange[]
  readonly options: PushedOptions | undefined
  readonly log: (error: unknown) => void
}

/**
 * What a feature does after a push, which has happened whatever comes of this.
 * @returns lines for the person. An empty one sets a remark apart.
 */
export type AfterPush = (push: FinishedPush) => Promise<readonly string[]>

export const afterPush = new ExtensionPoint<AfterPush>('the list of what follows a push')

/** Does what features do after a push. It never throws: what fails is logged, and the person is told. */
export async function followPush(push: FinishedPush): Promise<readonly string[]> {
  if (push.changes.length === 0) return []
  const lines: string[] = []
  for (const follow of afterPush.entries) {
    try {
      for (const line of await follow(push)) lines.push(line)
    } catch (error) {
      push.log(error)
      lines.push('Forgelet: The push is there, but not everything that should follow it.')
    }
  }
  return lines
}
