import { badRequest } from '#http/errors.ts'

export interface UnavailableParameters {
  readonly extern_uid?: string
  readonly provider?: string
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
  const { extern_uid, provider, group_id_for_saml } = given
  if (extern_uid || provider || group_id_for_saml !== undefined) {
    throw badRequest('identities of other providers are not available yet')
  }
  if (given.auditor) throw badRequest('auditors are not available yet')
  const { shared_runners_minutes_limit: minutes, extra_shared_runners_minutes_limit: extra } = given
  if (minutes !== undefined || extra !== undefined) {
    throw badRequest('limits of runner minutes are not available yet')
  }
}
