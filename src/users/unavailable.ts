import { badRequest } from '#http/errors.ts'

export interface UnavailableParameters {
  readonly group_id_for_saml?: number
  readonly auditor?: boolean
  readonly shared_runners_minutes_limit?: number
  readonly extra_shared_runners_minutes_limit?: number
}

/**
 * Parameters whose subsystem does not exist yet are refused, never ignored silently.
 * @throws 400 with a sentence
 */
export function refuseUnavailable(given: UnavailableParameters): void {
  if (given.group_id_for_saml !== undefined) {
    throw badRequest('SAML providers of groups are not available yet')
  }
  if (given.auditor) throw badRequest('auditors are not available yet')
  const { shared_runners_minutes_limit: minutes, extra_shared_runners_minutes_limit: extra } = given
  if (minutes !== undefined || extra !== undefined) {
    throw badRequest('limits of runner minutes are not available yet')
  }
}
