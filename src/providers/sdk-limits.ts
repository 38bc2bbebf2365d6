/** The SDKs' own timeouts end only the wait for headers; ours cover the whole call. The longest a timer can be. */
export const NO_SDK_TIMEOUT = 2 ** 31 - 1;
