/** What is asked has the first core, and the clients have the second. */
export const SERVER_CORE = 0;
export const CLIENT_CORE = 1;
