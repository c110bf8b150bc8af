/** The pages of people's own things. */
export const pages = {
  account: '/-/user_settings',
  profile: '/-/user_settings/profile',
  keys: '/-/user_settings/ssh_keys',
  emails: '/-/profile/emails',
  notifications: '/-/profile/notifications',
  preferences: '/-/profile/preferences',
  tokens: '/-/user_settings/personal_access_tokens',
  authorized: '/-/user_settings/authorized_applications',
  applications: '/-/user_settings/applications',
  sessions: '/-/user_settings/active_sessions',
  password: '/-/user_settings/password',
  monitoring: '/-/monitoring',
} as const

export interface Link {
  readonly path: string
  readonly title: string
  /** Completes the title for first-time visitors. */
  readonly about: string
}

/** The pages of an account in the order of the menu. A new one is a line here. */
export const accountLinks: readonly Link[] = [
  {
    path: pages.profile,
    title: 'Profile',
    about: 'Your name, picture and status, and what others read about you.',
  },
  {
    path: pages.emails,
    title: 'Email addresses',
    about: 'Add and remove addresses, and choose which one others see.',
  },
  {
    path: pages.notifications,
    title: 'Notifications',
    about: 'What you are told of, and where mails go.',
  },
  {
    path: pages.preferences,
    title: 'Preferences',
    about: 'How changes of code are shown to you.',
  },
  {
    path: pages.keys,
    title: 'SSH keys',
    about: 'With which you fetch and push over SSH, and sign commits.',
  },
  {
    path: pages.tokens,
    title: 'Access tokens',
    about: 'For programs that use the API in your name: make, rotate and revoke them.',
  },
  {
    path: pages.authorized,
    title: 'Authorized applications',
    about: 'That may act for you, because you let them. Take it back here.',
  },
  {
    path: pages.applications,
    title: 'Your applications',
    about: 'That ask people for access by OAuth: register them, and renew their secrets.',
  },
  {
    path: pages.sessions,
    title: 'Sessions',
    about: 'Where you are signed in now. End what you do not know.',
  },
  { path: pages.password, title: 'Password', about: 'Change it; that signs you out everywhere else.' },
  {
    path: pages.monitoring,
    title: 'Alerts and errors',
    about: 'Of your projects: what programs report, and what receives alerts.',
  },
]
