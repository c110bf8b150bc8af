import type { Static } from 'typebox'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { Db } from '#platform/db/pool.ts'
import type { KeyInProject } from './entity.ts'

/** Tells in which projects a deploy key is enabled. */
export type KeyInProjects = (db: Db, keyId: number) => Promise<Static<typeof KeyInProject>[]>

export const keyInProjects = new ExtensionPoint<KeyInProjects>('the list of who knows where a key is enabled')
