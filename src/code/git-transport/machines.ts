import type { AccessContext } from '#platform/access/access-context.ts'
import type { AuthorizedProject } from '#platform/access/authorize.ts'

/** A project that was looked up for a credential that belongs to no person. The look-up itself hides nothing. */
export type ProjectOfMachine = Pick<AuthorizedProject, 'container' | 'accessContext'>

/** What such a credential may do in the project: as much as somebody with that role. */
export const contextOfMachine = (
  { accessContext }: ProjectOfMachine,
  level: AccessContext['level'],
): AccessContext => ({ ...accessContext, level, signedIn: true, admin: false })
