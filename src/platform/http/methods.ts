/** Whether a request with this method changes nothing (RFC 9110 §9.2.1). */
export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'
