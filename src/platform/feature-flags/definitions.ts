/** One feature flag. */
export interface Definition {
  /** How mature the feature is: `beta` may change or be removed without notice. */
  readonly type: 'beta' | 'development'
  /** The value until an administrator sets the flag. */
  readonly default: boolean
  /** One sentence for people. */
  readonly about: string
}

/** Every feature flag, by the name the API gives it. A new flag is a line here and nothing else. */
export const definitions = {
  container_virtual_registries: {
    type: 'beta',
    default: false,
    about: 'Opens the container virtual registries of top-level groups.',
  },
  generic_alert_fingerprinting: {
    type: 'development',
    default: false,
    about: 'Groups alerts that name no fingerprint by one that is computed from their content.',
  },
  packages_protected_packages: {
    type: 'beta',
    default: true,
    about: 'Opens the rules that protect packages of projects.',
  },
} as const satisfies Record<string, Definition>

export type FeatureFlagName = keyof typeof definitions

/** The names of all feature flags, in the order of their definition. */
export const switchNames: readonly FeatureFlagName[] = Object.keys(definitions).filter(isSwitchName)

export function isSwitchName(name: string): name is FeatureFlagName {
  return Object.hasOwn(definitions, name)
}
