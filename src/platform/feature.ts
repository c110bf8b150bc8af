import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Abilities, policies } from '#platform/access/abilities.ts'
import { type AuditedFacts, auditedFacts } from '#platform/facts/audited.ts'
import { featureUniqueValues, type UniqueValues } from '#platform/db/unique-values.ts'
import { type Definitions, factDefinitions } from '#platform/facts/definitions.ts'
import type { Consumer } from '#platform/facts/fact.ts'
import { consumers } from '#platform/facts/record.ts'
import type { Scheduled } from '#platform/jobs/schedule.ts'
import type { AnyTask } from '#platform/jobs/task.ts'
import { apiAreas, type Area } from '#platform/openapi/areas.ts'
import { type Definitions as SettingDefinitions, settingDefinitions } from '#platform/settings/definitions.ts'
import { closeExtensionPoints, type Extension } from './extension-point.ts'

/**
 * Makes of an address as clients send it that of a route, such as one whose parameter has slashes. It leaves all others as they are, and
 * is asked about every request. It is told which media types the client accepts.
 */
export type Rewrite = (url: string, method: string, accept: string) => string

/** All that a feature adds to the program. Its `index.ts` exports one, and its district lists it. */
export interface Feature {
  /** The areas of the API's description that hold its endpoints. */
  readonly areas?: readonly Area[]
  /** Endpoints below `/api/v4`. */
  readonly routes?: readonly FastifyPluginAsyncTypebox[]
  /** What is served outside the API: pages for browsers, OAuth, health. */
  readonly pages?: readonly FastifyPluginAsyncTypebox[]
  /** Addresses of its routes that clients send in another form. */
  readonly rewrites?: readonly Rewrite[]
  /** Who may do what in projects and groups. */
  readonly abilities?: Abilities
  /** The domain events that it records. */
  readonly facts?: Definitions
  /** Which of them are audit events. */
  readonly audited?: AuditedFacts
  /** The application settings that it reads. */
  readonly settings?: SettingDefinitions
  /** What clients read of values that no two of its rows share. */
  readonly unique?: UniqueValues
  /** What it does in the transaction that records a fact, whichever feature records it. */
  readonly consumers?: readonly Consumer[]
  readonly tasks?: readonly AnyTask[]
  readonly schedule?: readonly Scheduled[]
  /** What it adds to the extension points of lower districts. */
  readonly extensions?: readonly Extension[]
}

/** Installs what features add. The program calls it once, with all of them. */
export function installFeatures(features: readonly Feature[]): void {
  for (const feature of features) {
    const extensions = [
      ...(feature.abilities === undefined ? [] : [policies.with(feature.abilities)]),
      ...(feature.facts === undefined ? [] : [factDefinitions.with(feature.facts)]),
      ...(feature.audited === undefined ? [] : [auditedFacts.with(feature.audited)]),
      ...(feature.settings === undefined ? [] : [settingDefinitions.with(feature.settings)]),
      ...(feature.unique === undefined ? [] : [featureUniqueValues.with(feature.unique)]),
      ...(feature.areas ?? []).map((area) => apiAreas.with(area)),
      ...(feature.consumers ?? []).map((consumer) => consumers.with(consumer)),
      ...(feature.extensions ?? []),
    ]
    for (const extension of extensions) extension.install()
  }
  closeExtensionPoints()
}
