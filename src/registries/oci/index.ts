import type { Feature } from '#platform/feature.ts'
import { tokenRoutes } from './token-routes.ts'

/** What all registries of images share: the protocol, and the tokens of its clients. */
export const oci: Feature = { pages: [tokenRoutes] }
