import type { FastifyRequest } from 'fastify'
import { assertTier } from '#platform/access/tiers.ts'
import type { Mapping } from '#monitoring/alert-receiver/payload/mapping.ts'
import type { PresetName } from '#monitoring/alert-receiver/payload/presets.ts'
import { checkMapping, readSample } from './check-mapping.ts'
import type { IntegrationValues } from './create-integration.ts'
import { mappingOf } from './entity.ts'

/** What a request says of an integration. */
interface IntegrationChanges {
  readonly name?: string | undefined
  readonly active?: boolean | undefined
  readonly preset?: PresetName | null | undefined
  readonly mapping?: Readonly<Record<string, readonly string[]>> | undefined
  readonly sample_payload?: string | null | undefined
}

/** Custom mappings need a plan. */
const tier = { licensedArea: 'A custom mapping', plan: 'premium' } as const

/** @throws 403 without the plan */
export const assertMayMap = ({ server }: FastifyRequest): void => assertTier(tier, server.services)

/**
 * Reads what a request says of an integration, and checks the mapping against the sample payload.
 * @param before what holds of an integration that is there.
 * @throws 400, and 403 for a mapping or a sample payload without a plan
 */
export function readIntegrationValues(
  req: FastifyRequest,
  asked: IntegrationChanges,
  before: { readonly mapping: Mapping; readonly sample_payload: unknown },
): Partial<IntegrationValues> {
  const { name, active, preset } = asked
  const mapping = asked.mapping === undefined ? undefined : mappingOf(asked.mapping)
  const sample = asked.sample_payload
  const sample_payload = typeof sample === 'string' ? readSample(sample) : sample
  const isMapped = mapping !== undefined && Object.keys(mapping).length > 0
  if (isMapped || typeof sample === 'string') assertMayMap(req)
  if (mapping !== undefined || sample_payload !== undefined)
    checkMapping(
      mapping ?? before.mapping,
      sample_payload === undefined ? before.sample_payload : sample_payload,
    )
  return {
    ...(name !== undefined && { name }),
    ...(active !== undefined && { active }),
    ...(preset !== undefined && { preset }),
    ...(mapping !== undefined && { mapping }),
    ...(sample_payload !== undefined && { sample_payload }),
  }
}
