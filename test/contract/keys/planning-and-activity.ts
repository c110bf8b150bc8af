import type { KeyTable } from './entity-keys.ts'

const notificationEvents =
  'approver change_reviewer_merge_request close_issue close_merge_request failed_pipeline fixed_pipeline issue_due merge_merge_request merge_when_pipeline_succeeds moved_project new_epic new_issue new_merge_request new_note new_release push_to_merge_request reassign_issue reassign_merge_request reopen_issue reopen_merge_request success_pipeline'
const chosenEvents = notificationEvents.replace(/\w+/g, 'events.$&')
const inheritedDates =
  'start_date_from_inherited_source start_date_from_milestones due_date_from_inherited_source due_date_from_milestones'

/** Issues, epics, notes, to-dos, and what people and programs learn of them. */
export const planningAndActivity: KeyTable = {
  LabelDetail: { source: 'GitLab: LabelBasic', nullable: 'description' },
  GroupLabel: {
    source: 'GitLab: GroupLabel',
    like: ['LabelDetail'],
    when: {
      'somebody asks with with_counts': 'open_issues_count closed_issues_count open_merge_requests_count',
    },
  },
  ProjectLabel: { source: 'GitLab: ProjectLabel', like: ['GroupLabel'], nullable: 'priority' },
  Milestone: {
    source: 'GitLab: Milestone',
    nullable: 'description due_date start_date',
    when: { 'it belongs to a project': 'project_id', 'it belongs to a group': 'group_id' },
  },
  BoardMilestone: {
    source: 'GitLab: Milestone',
    nullable: 'due_date start_date',
    when: { 'it belongs to a project': 'project_id', 'it belongs to a group': 'group_id' },
  },
  BoardList: {
    source: 'GitLab: List with its extension',
    nullable: 'label limit_metric',
    when: { 'it is for a milestone': 'milestone', 'it is for a person': 'assignee' },
  },
  Board: {
    source: 'GitLab: Board with its extension',
    nullable: 'project group milestone assignee weight',
  },
  MarkdownUpload: { source: 'GitLab: MarkdownUpload', nullable: 'uploaded_by' },
  TimeStats: { source: 'GitLab: IssuableTimeStats', nullable: 'human_time_estimate human_total_time_spent' },
  Issue: {
    source:
      'GitLab: Issue with its extension. Where it leaves out what a plan lacks, clients know null and absence alike',
    nullable:
      'description closed_at closed_by milestone assignee due_date discussion_locked weight _links.closed_as_duplicate_of moved_to_id service_desk_reply_to epic_iid epic iteration health_status',
    when: { 'it has checklist items': 'task_status' },
  },
  IssueSingle: { source: 'GitLab: Issue', like: ['Issue'] },
  RelatedIssue: { source: 'GitLab: RelatedIssue', like: ['Issue'] },
  EpicIssue: { source: 'GitLab: EpicIssue', like: ['Issue'] },
  EpicOfIssue: {
    source: 'GitLab: EpicBaseEntity',
    nullable: 'human_readable_end_date human_readable_timestamp',
  },
  MetricImage: { source: 'GitLab: IssuableMetricImage', nullable: 'url url_text' },
  Epic: {
    source: 'GitLab: Epic',
    nullable: `parent_id parent_iid description start_date end_date due_date closed_at _links.parent start_date_fixed due_date_fixed ${inheritedDates}`,
    when: {
      'the caller may change it': `start_date_is_fixed start_date_fixed due_date_is_fixed due_date_fixed ${inheritedDates}`,
    },
  },
  EpicSingle: { source: 'GitLab: Epic', like: ['Epic'] },
  RelatedEpic: { source: 'GitLab: RelatedEpic', like: ['Epic'] },
  NoteAuthor: { source: 'specification: notes', like: ['UserBasic'], nullable: 'email' },
  NotePosition: {
    source: 'GitLab: the position of a DiffNote',
    nullable:
      'old_path new_path old_line new_line line_range line_range.start.line_code line_range.start.type line_range.start.old_line line_range.start.new_line line_range.end.line_code line_range.end.type line_range.end.old_line line_range.end.new_line',
    when: { 'it stands on a picture': 'width height x y' },
  },
  AlertManagementAlertNote: {
    source: 'GitLab: Note; specification: notes',
    nullable: 'type attachment noteable_iid project_id',
    when: { '`with_reactions` asks for them': 'reactions' },
  },
  NoteWithCommands: {
    source: 'GitLab: Note; specification: notes',
    like: ['AlertManagementAlertNote'],
    when: { 'its body had quick actions': 'summary' },
  },
  IssueNote: { source: 'GitLab: Note', like: ['NoteWithCommands'] },
  EpicNote: { source: 'GitLab: Note', like: ['NoteWithCommands'] },
  SnippetNote: { source: 'GitLab: Note', like: ['NoteWithCommands'] },
  WikiPageMetaNote: { source: 'GitLab: Note', like: ['NoteWithCommands'] },
  CommitNote: {
    source: 'GitLab: Note',
    like: ['AlertManagementAlertNote'],
    nullable: 'noteable_id',
    when: { 'it stands on a diff': 'position' },
  },
  MergeRequestNote: {
    source: 'GitLab: Note',
    like: ['NoteWithCommands'],
    nullable: 'commit_id resolved_by resolved_at',
    when: {
      'it stands on a diff': 'position commit_id suggestions',
      'it can be resolved': 'resolved resolved_by resolved_at',
    },
  },
  DraftNote: {
    source: 'GitLab: DraftNote',
    nullable: 'discussion_id commit_id line_code',
  },
  DraftNotePosition: {
    source: 'GitLab: the position of a DraftNote',
    like: ['NotePosition'],
    nullable: 'base_sha start_sha head_sha',
  },
  CommandsChanges: {
    source: 'specification: notes; null where a command takes something away',
    nullable: 'milestone_id due_date weight epic_id parent_id spend_time.spent_at',
    when: { 'a command changes it': '*' },
  },
  AwardEmoji: { source: 'GitLab: AwardEmoji', nullable: 'url' },
  Todo: {
    source: 'GitLab: Todo',
    when: { 'the target belongs to a project': 'project', 'the target belongs to a group': 'group' },
  },
  ResourceLabelEvent: { source: 'GitLab: ResourceLabelEvent', nullable: 'user label' },
  ResourceMilestoneEvent: { source: 'GitLab: ResourceMilestoneEvent', nullable: 'user milestone' },
  ResourceStateEvent: { source: 'GitLab: ResourceStateEvent', nullable: 'user source_commit' },
  ResourceWeightEvent: { source: 'GitLab: ResourceWeightEvent', nullable: 'user weight' },
  SpamLog: { source: 'own', nullable: 'source_ip user_agent title' },
  UserAgentDetail: { source: 'GitLab: UserAgentDetail', nullable: 'user_agent ip_address' },
  Event: {
    source: 'specification: activity events',
    nullable:
      'title target_id target_iid target_type target_title data note.type note.attachment note.noteable_id note.noteable_iid push_data.commit_from push_data.commit_to push_data.ref push_data.commit_title push_data.ref_count wiki_page.wiki_page_meta_id',
    when: {
      'it is listed for a project': 'data',
      'somebody commented': 'note',
      'somebody pushed': 'push_data',
      'it is about a wiki page': 'wiki_page',
    },
  },
  GlobalNotificationSettings: {
    source: 'specification: notification settings; events are an addition',
    like: ['NotificationSettings'],
  },
  NotificationSettings: {
    source: 'specification: notification settings',
    nullable: chosenEvents,
    when: { 'the level is custom': 'events', 'the plan has the event': chosenEvents },
  },
  SystemHook: {
    source: 'GitLab: Hook',
    nullable: 'name description disabled_until push_events_branch_filter custom_webhook_template',
  },
  GroupHook: { source: 'GitLab: GroupHook', like: ['SystemHook'] },
  ProjectHook: { source: 'GitLab: ProjectHook', like: ['SystemHook'] },
}
