import { flat } from '#platform/http/flat.ts'

/** The kinds of things that have an avatar. */
export type AvatarOf = 'user' | 'group' | 'project' | 'topic'

const pages = { user: 'user', group: 'group', project: 'project', topic: 'projects/topic' } as const

/** The path of an avatar; `id` may be a pattern. */
export const avatarPath = (of: AvatarOf, id: number | ':id'): string =>
  `/uploads/-/system/${pages[of]}/avatar/${id}/avatar.png`

/**
 * The URL of an avatar. It stays the same when the picture changes, so that links last. See pages.ts.
 * @param site where the web pages live: `req.site`.
 */
export function avatarUrl(site: string, of: AvatarOf, id: number, key: string | null): string | null {
  return key === null ? null : flat`${site}${avatarPath(of, id)}`
}
