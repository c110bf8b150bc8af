import type { FastifyRequest } from 'fastify'
import type { Viewer } from '#platform/access/viewer.ts'
import { registryHost } from '#platform/config/registry-host.ts'

/** What presenters need from the request. */
export interface Audience {
  readonly viewer: Viewer
  /** Where the web pages live. */
  readonly site: string
  /** The same, parsed once. */
  readonly address: URL
  /** What names of images begin with. */
  readonly registryHost: string
  /** What addresses for SSH begin with; undefined where there is none. */
  readonly sshSite: string | undefined
  /** The default branch that an empty repository shows. */
  readonly defaultBranch: string
}

export function audienceOf(req: Pick<FastifyRequest, 'viewer' | 'site' | 'sshSite' | 'server'>): Audience {
  const { default_branch_name } = req.server.services.settings()
  const { viewer, site, sshSite } = req
  return {
    viewer,
    site,
    address: new URL(site),
    registryHost: registryHost(req.server.services.config, site),
    sshSite,
    defaultBranch: default_branch_name ?? 'main',
  }
}

/** What a request may ask for besides the fields that all answers have. */
export interface PresentOptions {
  readonly permissions?: boolean
  readonly statistics?: boolean
  readonly license?: boolean
  readonly with_custom_attributes?: boolean
}
