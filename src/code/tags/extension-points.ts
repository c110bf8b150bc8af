import type { FastifyRequest } from 'fastify'
import { ExtensionPoint } from '#platform/extension-point.ts'

/** What answers about a tag say of its release. */
export interface ReleaseOfTag {
  readonly tag_name: string
  readonly description: string
}

/** What is kept beside tags. */
interface TagCompanion {
  /** The releases of tags of the project that a route names, by tag, as far as the caller may see them. */
  releasesOf(req: FastifyRequest, tags: readonly string[]): Promise<ReadonlyMap<string, ReleaseOfTag>>
}

export const tagCompanions = new ExtensionPoint<TagCompanion>('the list of what is kept beside tags')
