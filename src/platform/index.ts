import type { Feature } from './feature.ts'
import { docs } from './docs/index.ts'
import { featureFlags } from './feature-flags/index.ts'
import { files } from './files/index.ts'
import { http } from './http/index.ts'
import { jobs } from './jobs/index.ts'
import { mail } from './mail/index.ts'
import { openapi } from './openapi/index.ts'
import { outgoing } from './outgoing/index.ts'
import { pages } from './pages/index.ts'
import { retention } from './retention/index.ts'
import { settings } from './settings/index.ts'

/** The features that every other district builds on. */
export const platform: readonly Feature[] = [
  settings,
  http,
  featureFlags,
  files,
  retention,
  jobs,
  openapi,
  docs,
  pages,
  outgoing,
  mail,
]
