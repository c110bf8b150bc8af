import { timingSafeEqual } from 'node:crypto'
import { digestOf } from '#monitoring/alert-integrations/keys.ts'
import type { Plan } from '#platform/access/route-access.ts'
import type { FeatureFlags } from '#platform/feature-flags/feature-flags.ts'
import { forbidden, notFound, unauthorized } from '#platform/refusals.ts'
import type { ReceivingIntegration, ReceivingProject } from './look-up.ts'
import { readingOf } from './payload/mapping.ts'
import { presets } from './payload/presets.ts'
import { readPayload } from './payload/read-payload.ts'
import type { PayloadKind, Report } from './payload/report.ts'

/**
 * Finds the integration that a request is for.
 * @param identifier in the URL; undefined where it names none. Then the key decides.
 * @throws 404 for no project; 401 for a wrong key, or none; 403 where there is no such integration, or it is not active
 */
export function authorizeReport(
  project: ReceivingProject | undefined,
  identifier: string | undefined,
  key: string | undefined,
): ReceivingIntegration {
  if (key === undefined) throw unauthorized()
  if (project === undefined) throw notFound()
  const { integrations } = project
  const there =
    identifier === undefined ? integrations : integrations.filter((one) => one.identifier === identifier)
  if (there.length === 0) throw forbidden('there is no such alert integration')
  const digest = digestOf(key)
  const integration = there.find((one) => timingSafeEqual(one.digest, digest))
  if (integration === undefined) throw unauthorized()
  if (!integration.active) throw forbidden('the alert integration is not active')
  return integration
}

interface Switches {
  readonly featureFlags: FeatureFlags
  readonly currentPlan: () => Plan
}

/**
 * Reads a payload as its integration wants it read.
 * @param asked the format that the URL names; undefined for none.
 * @throws 400 and 422, as {@link readPayload} does
 */
export function readReports(
  { featureFlags, currentPlan }: Switches,
  { projectId, groupId }: ReceivingProject,
  { id, type, mapping, preset }: ReceivingIntegration,
  {
    body,
    asked,
    now,
  }: { readonly body: Buffer | string; readonly asked?: PayloadKind; readonly now: string },
): Report[] {
  const actors = { project: { id: projectId }, ...(groupId !== null && { group: { id: groupId } }) }
  return readPayload(body, {
    // What a plan allowed is kept when the plan ends, and waits.
    reading: readingOf({
      mapping: currentPlan() === 'free' ? {} : mapping,
      preset: preset === null ? undefined : presets[preset],
      integration: `${preset ?? type} ${id}`,
    }),
    only: asked === 'prometheus' || type === 'prometheus' ? 'prometheus' : undefined,
    fingerprinting: featureFlags.isOn('generic_alert_fingerprinting', actors),
    now,
  })
}
