/* Loads the library at run time, as languages do that call C: load LIBRARY. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments)
{
    int round;
    for (round = 0; count > 1 && round < 3; round++) {
        void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
        const char *(*version)(void) = NULL;
        int (*make)(const char *, void **) = NULL;
        int (*begin)(void *, void *) = NULL;
        void (*destroy)(void *) = NULL;
        void *symbol, *client = NULL;
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        symbol = dlvsym(library, "waymark_version", "WAYMARK_1");
        memcpy(&version, &symbol, sizeof symbol);
        symbol = dlsym(library, "waymark_client_new");
        memcpy(&make, &symbol, sizeof symbol);
        symbol = dlsym(library, "waymark_monitor_path");
        memcpy(&begin, &symbol, sizeof symbol);
        symbol = dlsym(library, "waymark_client_free");
        memcpy(&destroy, &symbol, sizeof symbol);
        if (!version || !make || !begin || !destroy || make(NULL, &client) != 0 || begin(client, NULL) != 0)
            return 1;
        destroy(client);
        puts(version());
        if (dlclose(library) != 0)
            return 1;
    }
    return 0;
}
