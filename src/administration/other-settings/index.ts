import type { Feature } from '#platform/feature.ts'
import { settingsWithoutEffect } from './kept.ts'
import { refusedProtections } from './refused-protections.ts'
import { refusedSettings } from './refused.ts'

/** Application settings of GitLab that no feature acts on. None of them is dropped in silence: see docs/settings.md. */
export const otherSettings: Feature = {
  settings: { ...settingsWithoutEffect, ...refusedSettings, ...refusedProtections },
}
