/**
 * The texts of refusals that programs match, in one place and nowhere else (test/contract/refusals.test.ts). Whoever
 * changes one breaks somebody's program. The comments say where a text is known from: the specification of the API,
 * what the public sources of servers and clients agree on ("common"), or the client that was seen to match it.
 *
 * The keys are codes: a refusal made of one has it, for those who decide by the reason.
 */
export const knownTexts = {
  // Whatever is there already. Common; gitlabform, flux and terraform go on after these.
  taken: 'has already been taken',
  'username-taken': 'Username has already been taken',
  'email-taken': 'Email has already been taken',
  'award-taken': 'Award Emoji Name has already been taken',
  'member-exists': 'Member already exists',
  'label-exists': 'Label already exists',
  'branch-exists': 'Branch already exists',
  'project-shared': 'Project already shared with this group',
  'group-shared': 'Shared group The group has already been shared with this group',
  'project-forked': 'Project already forked',
  'issues-linked': 'Issue(s) already assigned',
  'any-approver-exists': 'any-approver for the project already exists',
  'own-any-approver-exists': 'any-approver for the merge request already exists',
  /** Programs that bring issues from elsewhere. */
  'issue-exists': 'Duplicated issue',
  /** Specification, "Container virtual registries". */
  'upstream-exists': 'already has an upstream with the same credentials',

  // Merging. Common; the commit that is there follows the last one.
  'held-back': '405 Method Not Allowed',
  'cannot-be-merged': 'Branch cannot be merged',
  'other-commit': 'SHA does not match HEAD of source branch',
  /** NGitLab. */
  'same-branch': "You can't use same project/branch for source and target",

  // Branches, tags and files. Flux, terraform and the SCM clients in Java.
  'may-not-push': 'You are not allowed to push into this branch',
  'not-on-branch': 'You can only create or edit files when you are on a branch',
  'file-changed': 'You are attempting to update a file that has changed since you started editing it.',
  'default-branch': 'Cannot remove HEAD branch',
  'bad-branch-name': 'Branch name is invalid',
  'bad-tag-name': 'Tag name invalid',
  'no-path': 'invalid revision or path',
  /** python-gitlab; which of two reasons it has is in `error_code`. */
  'cannot-cherry-pick':
    'Sorry, we cannot cherry-pick this commit automatically. This commit may already have been cherry-picked, ' +
    'or a more recent commit may have updated some of its content.',
  'cannot-revert':
    'Sorry, we cannot revert this commit automatically. This commit may already have been reverted, ' +
    'or a more recent commit may have updated some of its content.',
  /** Specification, "Error bodies", item 6. */
  'read-only': 'The repository is temporarily read-only. Please try again later.',
  /** reviewdog and other reviewing bots, which then send the note without a position. */
  'no-line': `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}`,

  /** Specification, "Protected environments"; terraform. */
  'nobody-deploys': 'Deploy access levels is too short (minimum is 1 character)',
  /** Programs that start pipelines, which then do it without variables. */
  'may-not-give-variables': 'Insufficient permissions to set pipeline variables',
  /** Specification, "Licenses". */
  'bad-license': 'The license key is invalid.',
  /** Common: the limits that endpoints apply themselves. */
  'too-often': 'This endpoint has been requested too many times. Try again later.',
} as const

export type RefusalCode = keyof typeof knownTexts

/** What a refusal begins with when it has no sentence of its own: common. A reason follows a dash. */
export const phrases = {
  invalid: '400 Bad request',
  unidentified: '401 Unauthorized',
  'not allowed': '403 Forbidden',
  /** {@link nameOfMissing} */
  'not found': '404 Not found',
  'not possible': '405 Method Not Allowed',
  conflict: '409 Conflict',
  'too large': '413 Request Entity Too Large',
  unprocessable: '422 Unprocessable Entity',
  'too often': '429 Too Many Requests',
  busy: '503 Service Unavailable',
  full: '507 Insufficient Storage',
} as const

/** What is missing, as clients know it: `404 Project Not Found`. */
export const nameOfMissing = (what: string): string => `404 ${what} Not Found`

/** What a text says behind the usual words. */
export const reasonIn = (text: string): string => text.replace(/^\d{3} (?:[A-Z][\w ]*? - )?/, '')
