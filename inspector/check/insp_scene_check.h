/* Checks the rules of scenes for all scenes of a file. */
#ifndef INSP_SCENE_CHECK_H
#define INSP_SCENE_CHECK_H

#include "insp_finding.h"

/* Skips the rows of a scene, and counts it in `unchecked_scenes`, if its chunks are in another file
 * or the limit for shared chunks is reached. Returns KILN_OK if the check was completed, whatever
 * it found, or KILN_NO_MEMORY. */
kiln_status insp_check_scenes(insp_check *check);

#endif
