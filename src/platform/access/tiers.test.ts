import { describe, expect, test } from 'vitest'
import { readConfig } from '#platform/config/config.ts'
import { answerTo } from '#platform/http/errors.ts'
import { Refusal } from '#platform/refusals.ts'
import type { Offering, Plan, Tier } from './route-access.ts'
import { assertTier } from './tiers.ts'

const epics: Tier = { licensedArea: 'Epics', plan: 'premium' }
const tokens: Tier = { licensedArea: 'Tokens', plan: 'premium', planOn: ['hosted'] }
const licences: Tier = { licensedArea: 'Licences', plan: 'free', offerings: ['self-managed', 'dedicated'] }

/** What an instance of that plan and offering answers; undefined when it goes on. */
function refusal(tier: Tier | undefined, plan: Plan, offering: Offering = 'self-managed') {
  try {
    assertTier(tier, { currentPlan: () => plan, config: readConfig({ FORGELET_OFFERING: offering }) })
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) return error
    const { status, body } = answerTo(error)
    return [status, body]
  }
}

describe('restrictions of areas', () => {
  test('a plan below the one needed is 403 and says which', () => {
    expect(refusal(epics, 'free')).toEqual([403, { message: '403 Forbidden - Epics needs premium' }])
    expect(refusal(epics, 'premium')).toBeUndefined()
    expect(refusal(epics, 'ultimate')).toBeUndefined()
  })

  test('another offering is 403 and says which', () => {
    expect(refusal(licences, 'ultimate', 'hosted')).toEqual([
      403,
      { message: '403 Forbidden - Licences needs the offering self-managed or dedicated' },
    ])
    expect(refusal(licences, 'free', 'dedicated')).toBeUndefined()
  })

  test('a plan may be needed in some offerings only', () => {
    expect(refusal(tokens, 'free', 'hosted')).toEqual([
      403,
      { message: '403 Forbidden - Tokens needs premium' },
    ])
    expect(refusal(tokens, 'premium', 'hosted')).toBeUndefined()
    expect(refusal(tokens, 'free', 'self-managed')).toBeUndefined()
    expect(refusal(tokens, 'free', 'dedicated')).toBeUndefined()
  })

  test('what has no restriction is for everybody', () => {
    expect(refusal(undefined, 'free', 'hosted')).toBeUndefined()
  })
})
