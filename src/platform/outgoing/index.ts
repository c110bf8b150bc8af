import type { Feature } from '#platform/feature.ts'
import { outgoingSettings } from './settings.ts'

/** Requests of this server to other servers, which users cause: where they may go is checked in one place. */
export const outgoing: Feature = { settings: outgoingSettings }
