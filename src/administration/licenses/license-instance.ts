import type { LicensedPlan } from '#platform/db/schema.ts'
import { type TransactionSource, transact } from '#platform/db/transaction.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import { addLicense } from './add-license.ts'
import { ownKey } from './keys.ts'
import type { LicensesView } from './current-license.ts'
import { readLicense, signLicense } from './license-string.ts'

interface Instance extends TransactionSource {
  readonly secrets: Secrets
  readonly licenses: Pick<LicensesView, 'reload'>
}

/**
 * Gives a fresh instance a self-signed license for a plan, in force on every day, whatever the clock says. It is for
 * trying licensed areas.
 */
export async function licenseInstance(instance: Instance, plan: LicensedPlan): Promise<void> {
  const terms = {
    jti: 'self-issued',
    plan,
    starts_at: '1970-01-01',
    expires_at: '9999-12-31',
    users: 0,
    licensee: { Name: 'Self-issued', Email: '', Company: '' },
    add_ons: {},
  }
  const license = readLicense(await signLicense(terms, await ownKey(instance.secrets)))
  await transact(instance, { author: null, ip: null }, (tx) => addLicense(tx, license))
  await instance.licenses.reload()
}
