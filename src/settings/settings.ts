// A stand-in until the settings mechanism lands.
export interface Settings {
  readonly impersonation_enabled: boolean
  readonly offset_pagination_limit: number
}
